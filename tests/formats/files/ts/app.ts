<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" sourcelanguage="zh_CN">
<context>
    <name>窗口</name>
    <message>
        <location filename="../main.cpp" line="12"/>
        <source>打开(&amp;O) &quot;%1&quot;…</source>
        <comment>菜单</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>保存</source>
    </message>
    <message numerus="yes">
        <source>共 %n 个文件</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>关闭</source>
        <translation>Close</translation>
    </message>
    <message>
        <source>猜的</source>
        <translation type="unfinished">Guess</translation>
    </message>
    <message>
        <source>旧的</source>
        <translation type="vanished"></translation>
    </message>
    <message>
        <source>第一行
&lt;b&gt;第二行&lt;/b&gt;<byte value="x1b"/></source>
        <translation/>
    </message>
    <message>
        <source>OK</source>
        <translation></translation>
    </message>
</context>
</TS>
