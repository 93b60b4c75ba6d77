# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: E501  # a document is read as one line

"""Documents in which code, frames and forms hide; `recorded.json` has what Chromium made of each (`scripts/record_corpus.py`).

Code that runs calls `hit("name")`, so that a test sees which code a browser executed.
"""

from __future__ import annotations

import typing as t

UTF_8 = "text/html; charset=utf-8"
PAGE = "https://shop.example.com/pay/checkout"


class Case(t.NamedTuple):
    """A document; `more`: why the collection finds more in it than this browser does."""

    body: bytes
    content_type: str = UTF_8
    more: str = ""


def _deep(inner: str, depth: int) -> bytes:
    return ("<!doctype html><body>" + "<div>" * depth + inner).encode()


CASES: dict[str, Case] = {
    "plain": Case(b"<!doctype html><script>hit('a')</script><p>text</p>"),
    "types": Case(
        b"<!doctype html><script type=''>hit('empty')</script><script type=' Text/JavaScript '>hit('blanks')</script>"
        b"<script type=text/jscript>hit('jscript')</script><script type='text/javascript;x'>hit('parameter')</script>"
        b"<script language=vbscript>hit('vb')</script><script language=JavaScript1.2>hit('language')</script>"
        b"<script type=application/ecmascript>hit('ecma')</script><script type=text/template>hit('template')</script>"
        b"<script type=application/ld+json>hit('data')</script><script TYPE=MODULE>hit('module')</script>"
        b"<script type language=vbscript>hit('type first')</script><script type=' '>hit('blank')</script>"
        b"<script type=text/livescript>hit('live')</script><script type=text/javascript1.5>hit('1.5')</script>",
    ),
    "case and order": Case(
        b"<!doctype html><IMG ONERROR=\"hit('a')\" SRC=x:><sCrIpT>hit('b')</ScRiPt ><img src=x: onerror=hit('c')>"
    ),
    "crlf and nul": Case(
        b"<!doctype html><script>hit('a');\r\n// \x00\rhit('b')\n</script><img src=x: onerror=\"hit('c');\r\n'\x00'\">"
    ),
    "leading newline": Case(b"<!doctype html><script>\nhit('a')\n</script><script>\r\n\r\nhit('b')</script>"),
    "two handlers": Case(b"<!doctype html><img onerror=hit('first') onerror=hit('second') src=x:>"),
    "handlers": Case(
        b"<!doctype html><body onload=hit('body')><svg onload=hit('svg')></svg><a onclick=hit('click')>x</a><details ontoggle=hit('toggle') open>"
        b"</details><video><source onerror=hit('source') src=x:></video><input autofocus onfocus=hit('focus')>"
    ),
    "body twice": Case(b"<!doctype html><body><p><body onload=hit('late')>"),
    "handler slash": Case(b"<!doctype html><img/onerror=\"hit('a')\"/src=x:/><img\x0conerror\x0c=\x0chit('b')\x0csrc=x:>"),
    "unclosed tag": Case(b"<!doctype html><img src=x: onerror=hit('a') <p>"),
    "handler entities": Case(b"<!doctype html><img src=x: onerror=&#104;it(&quot;a&quot)>"),
    "javascript addresses": Case(
        b"<!doctype html><a href=\"javascript:hit('a')\">x</a><a href=\" \x01JaVa&#10;Scr&Tab;ipt:hit('b')\">x</a>"
        b"<a href=\"javascript:hit(%27c%27)//%0A\xc3\xa9\">x</a><a href='java\nscript:hit(1)//'>x</a><a href=\"javascript&colon;hit('d')\">x</a>"
        b"<a href='javascript%3Ahit(2)'>x</a><a title=\"javascript:hit('no')\">x</a>"
    ),
    "javascript hash": Case(b"<!doctype html><a href=\"javascript:hit('a b');/* x#y */ \">x</a>"),
    "javascript in frames": Case(
        b"<!doctype html><iframe src=\"javascript:parent.hit('a')\"></iframe><iframe src=\"\x01\njavascript:parent.hit('b')\"></iframe>"
        b"<object data=\"javascript:hit('c')\"></object><embed src=\"javascript:hit('d')\">",
        more="this browser does not run javascript: in object and embed, older ones do",
    ),
    "javascript forms": Case(
        b"<!doctype html><form action=\"javascript:hit('a')\"><button>x</button></form><form><button formaction=\"javascript:hit('b')\">x</button></form>"
    ),
    "svg links": Case(
        b"<!doctype html><svg><a xlink:href=\"javascript:hit('a')\"><text y=20>x</text></a><a href=\"javascript:hit('b')\"><text y=40>x</text></a></svg>"
    ),
    "svg animation": Case(
        b"<!doctype html><svg><a id=x><text y=20>x</text><animate attributeName=href values=\"x;javascript:hit('a')\"></animate></a>"
        b"<a><text y=40>x</text><set attributeName=href to=\"javascript:hit('b')\"></set></a></svg>",
        more="this browser does not let an animation set such an address, others did",
    ),
    "math links": Case(
        b"<!doctype html><math href=\"javascript:hit('a')\"><mi href=\"javascript:hit('b')\">x</mi></math>",
        more="this browser no longer follows links of MathML, others do",
    ),
    "svg script": Case(
        b"<!doctype html><svg><script>hit('a')</script><script>hit(&quot;b&quot;)</script><script><![CDATA[hit('c')]]></script>"
        b"<script>hit('d')<g>;hit('not')</g></script><script href=data:text/javascript,hit('e')></script><script type=text/plain>hit('f')</script></svg>"
        b"<svg><desc><script>hit('g')</script></desc></svg>"
    ),
    "svg script addresses": Case(
        b"<!doctype html><svg><script xlink:href=/x.js></script><script href=/h.js xlink:href=/not.js></script><script src=/not.js>hit('a')</script></svg>"
    ),
    "math script": Case(b"<!doctype html><math><script>hit('a')</script><mi><script>hit('b')</script></mi></math>"),
    "svg comment": Case(b"<!doctype html><svg><style><!--</style><img src=x: onerror=hit('a')>--></svg>"),
    "mutation": Case(
        b"<!doctype html><form><math><mtext></form><form><mglyph><style></math><img src=x: onerror=hit('a')></style></mglyph></form></mtext></math></form>",
        more="the parser sees a style of MathML where this browser sees one of HTML",
    ),
    "foreign breakout": Case(
        b"<!doctype html><svg><p><script>hit('a')</script></svg><math><font color=x><script>hit('b')</script>"
    ),
    "raw text": Case(
        b"<!doctype html><textarea><script>hit('a')</script></textarea><title><script>hit('b')</script></title><style><script>hit('c')</script></style>"
        b"<xmp><script>hit('d')</script></xmp><noembed><script>hit('e')</script></noembed><noframes><script>hit('f')</script></noframes>"
        b"<iframe><script>hit('g')</script></iframe><script>hit('yes')</script>"
    ),
    "comments": Case(
        b"<!doctype html><!--><script>hit('a')</script>--><!-- --!><script>hit('b')</script>--><!--<script>hit('c')</script>--><!-><script>hit('d')</script>"
        b"<?php <script>hit('e')</script> ?><!x <script>hit('f')</script>></x <script>hit('g')</script>>"
    ),
    "conditional comment": Case(
        b"<!doctype html><!--[if IE]><script>hit('a')</script><![endif]--><![if !IE]><script>hit('b')</script><![endif]>"
    ),
    "script data": Case(
        b"<!doctype html><script><!-- <script>hit('a')</script> --></script><script>hit('b')</script><script><!--\nhit('c')\n//--></script>"
        b"<script>var x='<!--<script>';hit('d')</script>hit('not')</script>",
        more="what the code itself has in a comment or does not reach",
    ),
    "script not closed": Case(b"<!doctype html><script>hit('a')", more="a script that is not closed does not run"),
    "plaintext": Case(b"<!doctype html><script>hit('a')</script><plaintext><script>hit('b')</script>"),
    "noscript": Case(
        b"<!doctype html><head><noscript><link rel=x><meta http-equiv=refresh content=900></noscript></head>"
        b"<noscript><p title=\"</noscript><img src=x: onerror=hit('a')>\"></noscript><noscript><iframe src=/frame></iframe></noscript>",
        more="the frame is for browsers without scripting",
    ),
    "noscript elements": Case(
        b"<!doctype html><noscript><form action=https://other.example/></form></noscript><script>hit('a')</script>",
        more="the form is for browsers without scripting",
    ),
    "template": Case(
        b"<!doctype html><template><script>hit('a')</script><iframe src=/no></iframe><img src=x: onerror=hit('b')></template><script>hit('c')</script>"
    ),
    "shadow root": Case(
        b"<!doctype html><div><template shadowrootmode=open><script>hit('a')</script><img src=x: onerror=hit('b')><script src=/s.js></script>"
        b"</template></div><p><template ShadowRootMode=CLOSED><img src=x: onerror=hit('c')></template></p>"
    ),
    "second shadow root": Case(
        b"<!doctype html><div><template shadowrootmode=wrong><img src=x: onerror=hit('no')></template><template shadowrootmode=open><img src=x: onerror=hit('a')></template>"
        b"<template shadowrootmode=open><img src=x: onerror=hit('b')></template></div>"
    ),
    "nested shadow roots": Case(
        b"<!doctype html><div><template shadowrootmode=open><section><template shadowrootmode=closed><img src=x: onerror=hit('a')></template></section></template></div>"
        b"<template><div><template shadowrootmode=open><img src=x: onerror=hit('b')></template></div></template>",
    ),
    "shadow root of a link": Case(
        b"<!doctype html><a><template shadowrootmode=open><img src=x: onerror=hit('a')></template></a><my-shop><template shadowrootmode=open><img src=x: onerror=hit('b')></template></my-shop>",
        more="an element that cannot have a shadow root; what can is not known for each browser",
    ),
    "shadow root of the body": Case(
        b"<!doctype html><body><template shadowrootmode=open><img src=x: onerror=hit('a')></template>"
    ),
    "shadow base": Case(
        b"<!doctype html><div><template shadowrootmode=open><base href=https://evil.example/><script src=x.js></script></template></div><script src=y.js></script>"
    ),
    "deep template": Case(_deep("<template><script>hit('a')</script></template>", 600)),
    "deep": Case(_deep("<script>hit('a')</script><img src=x: onerror=hit('b')>", 600)),
    "deep table template": Case(
        ("<!doctype html><body>" + "<table><tbody><tr><div>" * 130 + "<template><script>hit('a')</script></template>").encode()
    ),
    "shallow template": Case(_deep("<template><script>hit('a')</script></template>", 60)),
    "frameset": Case(b"<p><script>hit('a')</script><frameset><frame src=/f></frameset>"),
    "frameset handler": Case(
        b"<frameset onload=hit('a')><frame src=\"javascript:parent.hit('b')\"><noframes><script>hit('no')</script></noframes></frameset>"
    ),
    "select": Case(
        b"<!doctype html><select><script>hit('a')</script><option><img src=x: onerror=hit('b')></option></select>",
        more="older browsers drop elements in select",
    ),
    "table": Case(
        b"<!doctype html><table><script>hit('a')</script><img src=x: onerror=hit('b')><tr><td><script>hit('c')</script></table>"
    ),
    "formatting": Case(b"<!doctype html><p><b><i><script>hit('a')</script><div></b><script>hit('b')</script></p></i>"),
    "addresses": Case(
        b"<!doctype html><script src=a.js></script><script src=/b.js></script><script src=//c.example/c.js></script><script src='\\\\d.example\\d.js'></script>"
        b"<script src='https:\\\\e.example/e.js'></script><script src='https:f.js'></script><script src='http:g.example/g.js'></script>"
        b"<script src=' ht\ntps://h.example/h.js#x'></script><script src='https:///i.example/i.js'></script><script src='../../j/../j.js'></script>"
        b"<script src='/%2e%2E/k.js'></script><script src='HTTPS://SHOP.example.com:443/l.js'></script><script src='?m'></script><script src='https://0x7f.1/n.js'></script>"
        b"<script src='https://user@o.example/o.js'></script><script src='/\\p.example/p.js'></script><script src='https://q.example%2Fq.js'></script>"
        b"<script src='https://ex\xc3\xa4mple.example/r.js'></script><script src='https://stra\xc3\x9fe.example/s.js'></script><script src='https://\xef\xbd\x8a\xef\xbd\x93.example/t.js'></script>"
        b"<script src='/u v\"<>`{}|^.js?a b\"<>`{}|^\\'></script><script src='./w;/./x.js'></script>",
        more="an address that leads nowhere, such as one with a slash in its host, is reported as it is written",
    ),
    "empty addresses": Case(
        b"<!doctype html><script src=''>hit('a')</script><script src>hit('b')</script><script src=' '></script><iframe src=''></iframe><iframe src=about:blank></iframe><embed src=''>",
        more="this browser takes an address of blanks for none",
    ),
    "base": Case(
        b"<!doctype html><script src=before.js></script><base><base href=https://cdn.example/dir/><base href=https://no.example/><script src=after.js></script><form action=x></form><form></form><form action=''></form>"
    ),
    "late base": Case(
        b"<!doctype html><form action=pay></form><script src=a.js></script><base href=https://evil.example/><iframe src=b></iframe>"
    ),
    "base of data": Case(b"<!doctype html><base href=data:/,x><base href=https://no.example/><script src=a.js></script>"),
    "links": Case(
        b"<!doctype html><link rel=modulepreload href=m.js><link rel='x PRELOAD' as=Script href=p.js><link rel=preload as=style href=no.css>"
        b"<link rel=stylesheet href=no.css>"
    ),
    "data scripts": Case(
        b'<!doctype html><script src="data:text/javascript,hit(\'a%27)"></script><script src=data:;base64,aGl0KCdiJyk></script><script type=module src="data:text/javascript,hit(\'c\')"></script>'
        b"<script src=\" da\nta:,hit('d')#x\"></script>"
    ),
    "data frames": Case(
        b"<!doctype html><iframe src=\"data:text/html,<script>hit('a')</script>\"></iframe><object data=\"data:text/html,<script>hit('b')</script>\"></object>"
    ),
    "srcdoc": Case(
        b"<!doctype html><base href=https://cdn.example/><iframe srcdoc=\"<script>hit('a')</script><script src=x.js></script><img src=x: onerror=hit('b')>\" src=/fallback></iframe>"
        b"<iframe srcdoc=\"&lt;iframe srcdoc=&quot;&amp;lt;script&amp;gt;hit('c')&amp;lt;/script&amp;gt;&quot;&gt;\"></iframe>",
        more="the address beside srcdoc is for browsers that do not know srcdoc",
    ),
    "sandboxed srcdoc": Case(
        b"<!doctype html><iframe sandbox srcdoc=\"<script>hit('a')</script>\"></iframe>", more="a sandbox that forbids scripts"
    ),
    "frames": Case(
        b"<!doctype html><iframe src=/a></iframe><embed src=/b><object data=/c></object><svg><iframe src=/no></iframe></svg>"
    ),
    "forms": Case(
        b"<!doctype html><form action=https://one.example/pay?x></form><form action=mailto:x@y.example></form><form method=dialog action=https://no.example></form>"
        b"<form><button formaction=//two.example/></button><input type=submit formaction='https:\\\\three.example'></form><button form=x formaction=https://four.example:8443/></button>",
    ),
    "form of a dialog": Case(
        b"<!doctype html><form method=Dialog action=https://one.example><button formmethod=post>x</button></form>"
    ),
    "form of a dialog with a button elsewhere": Case(
        b"<!doctype html><form method=dialog action=https://one.example id=f></form><input type=submit form=f formmethod=get>"
    ),
    "form of a dialog with buttons of a dialog": Case(
        b"<!doctype html><form method=dialog action=https://no.example><button>x</button><button formmethod=DIALOG>y</button></form>"
    ),
    "blank before dialog": Case(b"<!doctype html><form method=' dialog' action=https://one.example></form>"),
    "template for a marker": Case(
        b"<!doctype html><div><?marker name=\"q\"?></div><template for=q><script src=/q.js></script><script>hit('patch')</script>"
        b"<img src=x: onerror=hit('img')><iframe src=/q></iframe><form action=https://one.example></form></template>"
    ),
    "template for a range": Case(
        b"<!doctype html><div><?start name=\"q\"?><p>x</p><?end?></div><template for=q><img src=x: onerror=hit('img')></template>"
    ),
    "template for a marker in the head": Case(
        b'<!doctype html><head><?marker name="q"?><script src=a.js></script></head><template for=q><base href=https://other.example/></template>'
        b"<script src=b.js></script><form action=c></form>",
        more="where the marker stands decides which base holds",
    ),
    "template for a table": Case(
        b"<!doctype html><table><?marker name=\"q\"?></table><template for=q><tr><td><img src=x: onerror=hit('img')></table></template>"
    ),
    "template for a select": Case(
        b"<!doctype html><select><?marker name=\"q\"?></select><template for=q><option><img src=x: onerror=hit('img')></template>"
    ),
    "template for an svg": Case(
        b"<!doctype html><svg><?marker name=\"q\"?></svg><template for=q><style><img src=x: onerror=hit('style')></style><a onclick=hit('a')>x</a></template>"
    ),
    "template for a template": Case(
        b"<!doctype html><template><?marker name=\"q\"?></template><template for=q><img src=x: onerror=hit('inner')></template>"
        b"<template><template for=r><img src=x: onerror=hit('no')></template></template><?marker name=\"r\"?>",
        more="a script can take the content from the template",
    ),
    "template for nothing": Case(
        b"<!doctype html><template for=q><img src=x: onerror=hit('img')></template>",
        more="a marker can come from anywhere, also from a script",
    ),
    "nested forms": Case(
        b"<!doctype html><form action=https://one.example/><form action=https://no.example/></form></form><form action=https://two.example/></form>"
    ),
    "import map": Case(
        b'<!doctype html><script type=importmap>{"imports": {"x": "https://cdn.example/x.js"}}</script><script type=module>hit(\'a\')</script>',
    ),
    "speculation rules": Case(
        b"<!doctype html><script type=speculationrules>{\"prerender\": []}</script><script>hit('a')</script>"
    ),
    "utf-16": Case(b"\xff\xfe" + "<!doctype html><script>hit('a')</script>".encode("utf-16-le"), content_type="text/html"),
    "utf-16 by header": Case(
        "<!doctype html><script>hit('a')</script>".encode("utf-16-le"), content_type="text/html; charset=utf-16"
    ),
    "utf-7": Case(
        b"<!doctype html>+ADw-script+AD4-hit('no')+ADw-/script+AD4-<script>hit('a')</script>",
        content_type="text/html; charset=utf-7",
    ),
    "bom before header": Case(
        b"\xef\xbb\xbf<!doctype html><script>hit('\xc3\xa4')</script>", content_type="text/html; charset=windows-1252"
    ),
    "meta utf-16": Case(b"<!doctype html><meta charset=utf-16><script>hit('\xc3\xa4')</script>", content_type="text/html"),
    "latin-1": Case(b"<!doctype html><script>hit('\x80\x81\xe4')</script>", content_type="text/html; charset=iso-8859-1"),
    "shift_jis": Case(
        b"<!doctype html><p title=\"\x81\"><script>hit('a')</script><img alt=\x83\x5c onerror=hit('b') src=x:><!--\x81--><script>hit('c')</script><script>hit('\x81\x5c')</script>",
        content_type="text/html; charset=Shift_JIS",
    ),
    "gbk": Case(
        b"<!doctype html><p title=\"\x81\"><script>hit('a')</script><!--\x81--><script>hit('b')</script>\x81\x30<script>hit('c')</script>\x81\x30\x81<script>hit('d')</script><script>hit('\xc4\xe3\x80')</script>",
        content_type="text/html; charset=gb2312",
    ),
    "big5": Case(
        b"<!doctype html><p title=\"\x81\"><script>hit('a')</script><!--\xa1--><script>hit('b')</script>\xff<script>hit('\xa7A')</script>",
        content_type="text/html; charset=big5",
    ),
    "euc-kr": Case(
        b"<!doctype html><p title=\"\xa1\"><script>hit('a')</script><!--\x81--><script>hit('b')</script>\xc9<script>hit('\xb0\xa1')</script>",
        content_type="text/html; charset=euc-kr",
    ),
    "euc-jp": Case(
        b"<!doctype html><p title=\"\x8e\"><script>hit('a')</script><!--\x8f--><script>hit('b')</script><script>hit('\xa4\xa2\x8e\xb1')</script>\x8f\xa1<script>hit('c')</script>",
        content_type="text/html; charset=euc-jp",
    ),
    "iso-2022-jp": Case(
        b"<!doctype html>\x1b$B<p title=\"\x1b(B<script>hit('a')</script>\x1b(J<script>hit('b')</script>\x1b(B<p title='\x1b$B'\x1b(B><script>hit('c')</script>\x1b$B$\x1b(B<script>hit('d')</script>"
        b"\x1b$B\n<script>hit('e')</script>\x1b(B<script>hit('\x1b$B$\"\x1b(B')</script>\x1b(I1\n<script>hit('f')</script>\x1b(B",
        content_type="text/html; charset=iso-2022-jp",
    ),
    "koi8-u": Case(b"<!doctype html><script>hit('\xc1\xa4')</script>", content_type="text/html; charset=koi8-ru"),
    "x-user-defined": Case(b"<!doctype html><script>hit('\xc1')</script>", content_type="text/html; charset=x-user-defined"),
    "unknown label": Case(
        b"<!doctype html><meta charset=windows-1251><script>hit('\xe4')</script>", content_type="text/html; charset=nothing"
    ),
    "escaped label": Case(b"<!doctype html><script>hit('\xe4')</script>", content_type='text/html; charset="windows-1251"'),
    "nul in tags": Case(
        b"<!doctype html><scr\x00ipt>hit('a')</script><img src=x: on\x00error=hit('b')><img src=x: onerror=\x00hit('c')><script\x00>hit('d')</script>",
        more="names with a character that no handler has, and code that cannot run",
    ),
    "script attributes": Case(
        b"<!doctype html><script nomodule>hit('a')</script><script for=window event=onload()>hit('b')</script><script for=x event=y>hit('c')</script><script defer>hit('d')</script>",
        more="scripts that other browsers run",
    ),
    "end tags": Case(
        b"<!doctype html></script><script>hit('a')</script/ onerror=x></script></p></br><script>hit('b')</script bogus>hit('no')"
    ),
    "nested document": Case(
        b"<!doctype html><body><html onclick=hit('a')><head><script>hit('b')</script></head><body onload=hit('c')></html>"
    ),
    "after the end": Case(
        b"<!doctype html><html><body></body></html><script>hit('a')</script><!-- --><img src=x: onerror=hit('b')>"
    ),
    "entities in text": Case(
        b"<!doctype html>&lt;script&gt;hit('a')&lt;/script&gt;<script>hit(&quot;b&quot;)</script><script>hit('c')</script>"
    ),
    "object parameters": Case(
        b"<!doctype html><object data=/o><param name=src value=\"javascript:hit('a')\"><embed src=/e></object>",
        more="what an object contains counts for browsers that cannot show the object",
    ),
    "isindex": Case(
        b"<!doctype html><isindex action=https://no.example/><keygen onfocus=hit('a') autofocus><menuitem onclick=hit('b')>x</menuitem>",
        more="an element that cannot have the focus",
    ),
    "blanks of other scripts in a type": Case(
        "<!doctype html><meta charset=utf-8><script type='\u3000text/javascript'>hit('a')</script><script type='text/javascript\u2028'>hit('b')</script>"
        "<script type='\x0btext/javascript' src=/c.js></script><script type='\u200btext/javascript'>hit('not d')</script>".encode()
    ),
    "language of an svg script": Case(
        b"<!doctype html><svg><script language=vbscript>hit('a')</script><script language=vbscript href=/b.js></script></svg>"
    ),
    "selected content": Case(
        b"<!doctype html><select><button><selectedcontent><img src=x: onerror=hit('a')><iframe src=/frame></iframe><SCRIPT>hit('b')</SCRIPT>"
        b"<form action=https://other.example/></form></selectedcontent></button><option>hit('not')</select>",
        more="the form is gone by the time its target is asked for",
    ),
    "embed code": Case(b"<!doctype html><embed code=/frame type=text/html>"),
    "embed twice": Case(
        b"<!doctype html><embed code=/a src=/b type=text/html><embed src=/c code=/d type=text/html>",
        more="of two addresses the later one counts",
    ),
    "blank action": Case(
        b"<!doctype html><base href=https://other.example/><form action=' '></form><form><button formaction=' '></button></form>",
        more="not every browser takes blanks for none",
    ),
    "almost javascript": Case("<!doctype html><meta charset=utf-8><iframe src='java\u017fcript:x'></iframe>".encode()),
}
