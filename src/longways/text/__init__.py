"""Text: sentences of two languages become token ids, and ids become sentences again.

`learn` makes a `TextPipeline` from sentence pairs. Nothing heavy is loaded until one is made.
"""
