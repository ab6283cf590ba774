" Tiddle, the trace language of Foretrace: docs/formats/tiddle.md
if exists('b:current_syntax')
  finish
endif

" Operations, by what they do. Each is the first word of its line.
syntax match tiddleAccess     /^\s*\%(rd\|wr\)\ze\s/             nextgroup=tiddleThread skipwhite
syntax match tiddleVolatile   /^\s*\%(vrd\|vwr\|vrmw\|ard\|awr\|armw\)\ze\s/     nextgroup=tiddleThread skipwhite
syntax match tiddleLocking    /^\s*\%(acq\|rel\|racq\|rrel\)\ze\s/ nextgroup=tiddleThread skipwhite
syntax match tiddleWaiting    /^\s*\%(wait\|notify\|notifyall\|barrier\)\ze\s/ nextgroup=tiddleThread skipwhite
syntax match tiddleThreading  /^\s*\%(fork\|join\)\ze\s/         nextgroup=tiddleThread skipwhite
syntax match tiddleUnit       /^\s*\%(beg\|end\)\ze\s/           nextgroup=tiddleThread skipwhite
syntax match tiddleMemory     /^\s*\%(alloc\|free\)\ze\s/        nextgroup=tiddleThread skipwhite
syntax match tiddleDirective  /^\s*\%(set\|unit\)\ze\s/          nextgroup=tiddleDeclared skipwhite

syntax match tiddleThread     /[^# \t]\S*/ contained nextgroup=tiddleObject skipwhite
syntax match tiddleObject     /[^# \t]\S*/ contained nextgroup=tiddleValue,tiddleSite skipwhite
syntax match tiddleValue      /-\?\d\+\>/  contained nextgroup=tiddleSite skipwhite
syntax match tiddleSite       /@\s\+\S\+/  contained
syntax match tiddleDeclared   /[^# \t]\S*/ contained nextgroup=tiddleMember skipwhite
syntax match tiddleMember     /[^# \t]\S*/ contained nextgroup=tiddleMember skipwhite

syntax match tiddleComment    /\%(^\|\s\)\zs#.*$/ contains=@Spell,tiddleExpect
syntax match tiddleExpect     /\<expect\>.*$/ contained

highlight default link tiddleAccess    Statement
highlight default link tiddleVolatile  Statement
highlight default link tiddleLocking   Keyword
highlight default link tiddleWaiting   Keyword
highlight default link tiddleThreading Special
highlight default link tiddleUnit      Structure
highlight default link tiddleMemory    Statement
highlight default link tiddleDirective PreProc
highlight default link tiddleThread    Type
highlight default link tiddleObject    Identifier
highlight default link tiddleValue     Number
highlight default link tiddleSite      String
highlight default link tiddleDeclared  Structure
highlight default link tiddleMember    Identifier
highlight default link tiddleComment   Comment
highlight default link tiddleExpect    SpecialComment

let b:current_syntax = 'tiddle'
