"""What other programs process before Markdown: templates, code of MDX, front matter."""
