"""Subtitles: SubRip and WebVTT cues, read as sentences and divided again by time."""
