# plotly.js for HTML charts: scripts/fetch-plotly puts it into third_party/plotly,
# which git ignores. Its version and the sums of its files are written down here
# and nowhere else; docs/decisions/0018 says why this bundle. A file with another
# sum is refused.
set(RAFTER_PLOTLY_PACKAGE plotly.js-basic-dist-min@4.1.1)
set(RAFTER_PLOTLY_DIR "${CMAKE_CURRENT_LIST_DIR}/../third_party/plotly" CACHE PATH
    "Folder with plotly-basic.min.js and LICENSE")
set(RAFTER_PLOTLY_JS_SHA256 99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba)
set(RAFTER_PLOTLY_LICENCE_SHA256 8c45d9eaf50c2f72dd9c7ab9ef440788ba58a3538484b5c51c1f17d5128752e7)

# Whether a folder has both files as they should be; `reason` says what is wrong.
function(rafter_check_plotly folder good reason)
  set(${good} OFF PARENT_SCOPE)
  foreach(pair plotly-basic.min.js:${RAFTER_PLOTLY_JS_SHA256} LICENSE:${RAFTER_PLOTLY_LICENCE_SHA256})
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 wanted)
    if(NOT EXISTS "${folder}/${name}")
      set(${reason} "${folder}/${name} is not there" PARENT_SCOPE)
      return()
    endif()
    file(SHA256 "${folder}/${name}" sum)
    if(NOT sum STREQUAL wanted)
      set(${reason} "${folder}/${name} is not that of ${RAFTER_PLOTLY_PACKAGE}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${good} ON PARENT_SCOPE)
endfunction()

# `cmake -DCHECK=FOLDER -P Plotly.cmake`: fails where the folder is not good.
# `cmake -DPRINT=PACKAGE -P Plotly.cmake`: the package to fetch.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(PRINT)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${RAFTER_PLOTLY_PACKAGE})
  else()
    rafter_check_plotly("${CHECK}" good reason)
    if(NOT good)
      message(FATAL_ERROR "${reason}")
    endif()
  endif()
endif()
