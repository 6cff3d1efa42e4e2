"""Runtimes: the engines that search drives, all behind one protocol."""
