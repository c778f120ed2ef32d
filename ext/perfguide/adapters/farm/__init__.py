"""What board farms and other test systems export."""
