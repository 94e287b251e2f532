# cmake -DIN=text -DOUT=source.cpp -DNAME=kName -P EmbedText.cmake
# A C++ source that defines tally::NAME as the text of a file, in pieces that
# every compiler takes.
file(READ ${IN} rest)
set(source "// Generated from ${NAME}'s text.\n#include \"tally/driver/OpsText.h\"\n\nconst char tally::${NAME}[] =\n")
string(LENGTH "${rest}" left)
while(left GREATER 0)
  string(SUBSTRING "${rest}" 0 8000 piece)
  string(SUBSTRING "${rest}" 8000 -1 tail)
  if(left LESS_EQUAL 8000)
    set(tail "")
  endif()
  string(APPEND source "R\"__(${piece})__\"\n")
  set(rest "${tail}")
  string(LENGTH "${rest}" left)
endwhile()
file(WRITE ${OUT} "${source};\n")
