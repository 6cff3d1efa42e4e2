# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""The record with the names of the columns, if a table has one.

It is the first record as wide as most; titles of a report may stand before it. Its cells are short,
different and not empty. A sign must speak for it, too: a name that many tables have, a name in
another script than its column, numbers or much longer texts below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from longways.text.scripts import main_script

FIRST_RECORDS = 10
"""The names are in one of the first records."""
MAX_NAME_CHARACTERS = 40
MIN_LENGTH_RATIO = 2.5
"""Texts that are longer than their name by this factor speak for a name."""
_NUMBER = re.compile(r"[\s\d.,:/%$€¥￥+\-–()TZ]*\d[\s\d.,:/%$€¥￥+\-–()TZ]*")
_SENTENCE = re.compile(r"[。！？!?…；;\r\n]|\.$")
_COMMON = re.compile(
    r"""(?:编号|序号|代码|编码|主键|名称|姓名|名字|标题|题目|类型|类别|分类|种类|种別|状态|日期|时间|年份|年龄
    |性别|地址|电话|手机|邮箱|邮编|城市|省份|国家|地区|部门|职位|单位|数量|价格|金额|单价|总计|合计|备注|说明
    |描述|简介|内容|文本|正文|原文|译文|中文|英文|语言|问题|答案|回答|评论|标签|关键词|来源|链接|网址|作者|版本
    |等级|颜色|尺寸|型号|品牌|商品|产品|用户|学号|班级|成绩|字段|参数|键|值|是否.{1,6})
    (?:名称|名|编号|号|代码|描述|说明|内容|类型|时间|日期|文本)?
    |(?:产品|商品|项目|任务|文件|用户|客户|公司|学校|课程|图书|文章|订单|活动|规则|错误|功能|菜单|角色|物品|技能)
    (?:名称|名|编号|号|代码|描述|说明|标题|内容|类型|备注|简介|ID|id)
    |(?i:id|no\.?|key|keys|name|title|type|date|time|text|content|description|comment|notes?|value
    |label|source|target|category|status|url|lang|language|translation|question|answer)
    """,
    re.VERBOSE,
)
"""Names that many tables have."""

Rows = Sequence[Sequence[str]]
"""The values of the first records."""


def find_header(rows: Rows, names: Sequence[str] = ()) -> int | None:
    """The number of the record with the names; None if there is none.

    If the user has named columns, it is the record that has the first of these names.
    """
    for number, row in enumerate(rows[:FIRST_RECORDS] if names else ()):
        if any(name in map(str.strip, row) for name in names):
            return number
    widths = Counter(len(row) for row in rows if row)
    width = max(widths, key=lambda width: (widths[width], width), default=0)
    for number, row in enumerate(rows[:FIRST_RECORDS]):
        if len(row) >= width and width:
            return number if _are_names(row, rows[number + 1 :]) else None
    return None


def _are_names(row: Sequence[str], below: Rows) -> bool:
    """Whether a record has the names of the columns below."""
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    if not below or len(set(cells)) < len(cells) or not all(cells[1:]):
        return False
    if any(len(cell) > MAX_NAME_CHARACTERS or _SENTENCE.search(cell) for cell in cells):
        return False
    columns = [
        [other[n].strip() for other in below if len(other) > n and other[n].strip()]
        for n in range(len(cells))
    ]
    if any(cell and cell in column for cell, column in zip(cells, columns, strict=True)):
        return False
    return any(_is_name(cell, column) for cell, column in zip(cells, columns, strict=True) if cell)


def _is_name(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell is the name of the column below it, by one sign."""
    if _COMMON.fullmatch(cell):
        return True
    if not column or _NUMBER.fullmatch(cell):
        return False
    if sum(bool(_NUMBER.fullmatch(value)) for value in column) > len(column) / 2:
        return True
    scripts = Counter(map(main_script, column))
    other = scripts[main_script(cell)] == 0 and None not in scripts
    return other or (len(column) > 1 and fmean(map(len, column)) > MIN_LENGTH_RATIO * len(cell))
