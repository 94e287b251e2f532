# cmake -DIN=text -DOUT=source.cpp -DNAME=kName -DHEADER=a/b.h -P EmbedText.cmake
# A C++ source that defines tally::NAME, declared in HEADER, as the text of a file, in pieces that
# every compiler takes.
file(READ ${IN} rest)
set(source "// Generated from ${NAME}'s text.\n#include \"${HEADER}\"\n\nconst char tally::${NAME}[] =\n")
set(at 0)
string(LENGTH "${rest}" size)
while(at LESS size)
  string(SUBSTRING "${rest}" ${at} 8000 piece)
  string(APPEND source "R\"__(${piece})__\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUT} "${source};\n")
