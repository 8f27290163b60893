# with_r.R RUN CSV: the five regions with most host time, by R.
library(DBI)
arguments <- commandArgs(trailingOnly = TRUE)
run <- dbConnect(RSQLite::SQLite(), arguments[1], flags = RSQLite::SQLITE_RO)
table <- read.csv(arguments[2], check.names = FALSE, na.strings = "")

# Full names, as the table has them: "outer/inner".
regions <- dbGetQuery(run, "SELECT process, path, parent, name FROM regions ORDER BY process, path")
names <- list()
for (row in seq_len(nrow(regions))) {
  region <- regions[row, ]
  above <- names[[paste(region$process, region$parent)]]
  names[[paste(region$process, region$path)]] <-
    if (is.null(above)) region$name else paste(above, region$name, sep = "/")
}

# Nanoseconds of all passes do not fit R's integers.
passes <- dbGetQuery(run, "SELECT process, path, pid AS Process, count(*) AS passes,
    sum(duration_ns) / 1e6 AS ms FROM instances JOIN processes USING (process) GROUP BY 1, 2")
passes$Region <- unlist(names[paste(passes$process, passes$path)])
rows <- table[is.na(table[["Kernel ID"]]), ]
joined <- merge(passes, rows, by = c("Process", "Region"), all.x = TRUE)
joined <- head(joined[order(-joined$ms), ], 5)
intensity <- joined[["Arithmetic Intensity [FLOP/Byte]"]]
writeLines("region,passes,host_ms,flop_per_byte")
writeLines(paste(joined$Region, joined$passes, sprintf("%.3f", joined$ms),
                 ifelse(is.na(intensity), "", sprintf("%.3f", intensity)), sep = ","))
invisible(dbDisconnect(run))
