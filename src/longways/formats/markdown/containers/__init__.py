"""Block rules of what contains Markdown: components and notes between fences."""
