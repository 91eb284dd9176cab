"""The marks of the page and how it looks: each outcome has a shape and a colour, and either is enough."""

from __future__ import annotations

from heartbeat_core.history import Ending

SHAPES = {
    Ending.TAKEN: '<circle r="5"/>',
    Ending.REFUSED: '<path d="M-5-5 5 5M5-5-5 5"/>',
    Ending.FAILED: '<path d="M0-6 6 5H-6Z"/>',
    Ending.UNANSWERED: '<circle r="5" class="hollow"/>',
    Ending.DROPPED: '<path d="M-5-5H5V5H-5Z" class="hollow"/>',
    Ending.BUSY: '<path d="M-5-3H5M-5 3H5"/>',
    Ending.MOVED: '<path d="M-3-5 3 0-3 5" class="hollow"/>',
    Ending.EXPIRED: '<path d="M0-6 6 0 0 6-6 0Z" class="hollow"/>',
    Ending.CANCELLED: '<path d="M-5 0H5"/>',
}
"""Each about its own middle, within six pixels of it."""

_COLOURS = {
    Ending.TAKEN: ("#1f7a4d", "#5fd39a"),
    Ending.REFUSED: ("#b3261e", "#ff8a80"),
    Ending.FAILED: ("#9c2c77", "#f79ad3"),
    Ending.UNANSWERED: ("#a04a00", "#ffb066"),
    Ending.DROPPED: ("#7a5c00", "#e8c84a"),
    Ending.BUSY: ("#4a4fb5", "#aab0ff"),
    Ending.MOVED: ("#00658a", "#6ccbf0"),
    Ending.EXPIRED: ("#6b5a7d", "#cdb6e6"),
    Ending.CANCELLED: ("#5c6670", "#aab4be"),
}
"""By light and by dark: each readable on its ground."""

_LIGHT = "--ground:#fbfaf7;--card:#ffffff;--ink:#1d2329;--faint:#5b6570;--line:#dedbd3;"
_DARK = "--ground:#14181c;--card:#1b2127;--ink:#e8ecef;--faint:#a3adb6;--line:#343c44;"


def definitions() -> str:
    """The shapes, to be drawn wherever one is used."""
    shapes = "".join(f'<g id="{ending.value}">{shape}</g>' for ending, shape in SHAPES.items())
    return f'<svg width="0" height="0" aria-hidden="true" class="defs"><defs>{shapes}</defs></svg>'


def style() -> str:
    """The style sheet."""
    marks = "".join(f".{ending.value}{{color:var(--{ending.value})}}" for ending in Ending)
    return (
        f":root{{color-scheme:light dark;{_LIGHT}{_palette(0)}}}"
        f"@media(prefers-color-scheme:dark){{:root{{{_DARK}{_palette(1)}}}}}"
        f"@media print{{:root{{color-scheme:light;{_LIGHT}{_palette(0)}}}}}"
        f"{_RULES}{marks}"
    )


def _palette(column: int) -> str:
    return "".join(f"--{ending.value}:{colours[column]};" for ending, colours in _COLOURS.items())


_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;
 overflow-wrap:anywhere}
main{max-width:70rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.05rem;margin:2rem 0 .75rem}
p{margin:.25rem 0;color:var(--faint)}
ul,ol{list-style:none;margin:0;padding:0}
.defs{position:absolute}
svg use,svg.key{fill:currentColor;stroke:currentColor;stroke-width:2;stroke-linecap:round;
 stroke-linejoin:round}
.hollow{fill:var(--card)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.6rem .75rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2;font-variant-numeric:tabular-nums;
 color:var(--ink)}
.tiles span{color:var(--faint);white-space:nowrap}
.key{width:14px;height:14px;vertical-align:-2px;margin-right:.4rem;overflow:visible}
.days{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.75rem 1rem}
.row{display:grid;grid-template-columns:13rem 1fr;gap:0 1rem;align-items:center;break-inside:avoid}
.row+.row{border-top:1px solid var(--line)}
.row h3{margin:0;overflow-wrap:normal;font-size:.85rem;font-weight:600}
.row h3 small{display:block;font-weight:400;color:var(--faint)}
.row svg{display:block;width:100%;height:46px;overflow:visible}
.row line{stroke:var(--line)}
.hours{display:flex;justify-content:space-between;font-size:.75rem;color:var(--faint);
 font-variant-numeric:tabular-nums}
.hours span{width:0;white-space:nowrap;overflow-wrap:normal;display:flex;justify-content:center}
.gap{padding:.3rem 0;border-top:1px solid var(--line);font-size:.8rem}
.list{background:var(--card);border:1px solid var(--line);border-radius:.6rem}
.list li{padding:.5rem .75rem;font-variant-numeric:tabular-nums;break-inside:avoid}
.list li+li{border-top:1px solid var(--line)}
.list time{color:var(--faint);margin-right:.75rem}
@media(max-width:40rem){.row{grid-template-columns:1fr;padding:.4rem 0 0}.row h3 small{display:inline;
 margin-left:.5rem}.list time{display:block}}
@media print{:root{--ground:#fff}
 body{font-size:11px}main{max-width:none;padding:0}*{print-color-adjust:exact}}
"""
