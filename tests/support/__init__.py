"""What several tests share. By use:

everywhere: paths (folders of the clone), wire (asks the reference in hex), trying (many values, a seed each), golden
(texts compared with a file), hostile (a text that must reach no page), toolchains (skips where a tool is missing)

the kit in processes: pytest_run (`pytest --impl`), copies and ready (faster starts), planted (a clone with planted
implementations), blocks (the commands on pages), page_reports (reports for pages)

asking and judging: asked, recorder, judging, conversing, hurry, boundaries

the reference: fast_checks, switches, reading_questions; second opinions on it: opinions, essence, mended

codecs that miniatures change: altered_parts, draft_82s, headed_codec, recoding, wire_format_answers, wire_format_frames

fuzzing: fuzzing, no_canary

audits: captures, log_segments, broker

other languages: clang, golang, java, node, rust (their wrappers); exported and replayed (tests exported to them)
"""
