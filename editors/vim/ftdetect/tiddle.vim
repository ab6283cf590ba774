autocmd BufNewFile,BufRead *.tiddle setfiletype tiddle
