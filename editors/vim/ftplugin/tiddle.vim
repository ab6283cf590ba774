" :make checks the trace and jumps to what is wrong; gq puts it into columns.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s
setlocal comments=:#
setlocal makeprg=foretrace\ tiddle\ check\ %:S
setlocal errorformat=foretrace:\ %f:%l:\ %tarning:\ %m,foretrace:\ %f:%l:\ %m,%-G%.%#
setlocal formatprg=foretrace\ tiddle\ fmt\ -

let b:undo_ftplugin = 'setlocal commentstring< comments< makeprg< errorformat< formatprg<'
