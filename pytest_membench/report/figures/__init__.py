"""Figures for report.html: numbers in, one SVG with real text out."""
