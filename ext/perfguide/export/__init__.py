"""Figures for other programs: JSON, Parquet, workbooks, badges, feeds."""
