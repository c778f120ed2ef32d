"""Files that board farms and other test systems export."""
