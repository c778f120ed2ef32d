"""Figures for other programs: JSON, Parquet, workbooks, feeds."""
