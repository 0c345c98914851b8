/** A reading is stored a moment after it was taken, so it may be of a program that has ended meanwhile. */
const delay = "interval '15 seconds'"

/** Older readings are in no history, and say nothing about a GPU now. */
export const keptReadings = "interval '1 hour'"

/**
 * SQL query for when GPUs had jobs of competitions that a reader may not see: `gpu_id`, `since` and `till`. The program of an entry
 * decides what its GPU does, so a reading could tell its team the hidden data, a number with each sample.
 * @param visible SQL condition for the jobs `j` that the reader may see
 */
export const hiddenTimes = (visible: string) =>
  `SELECT a.gpu_id, a.created_at AS since, coalesce(a.released_at + ${delay}, 'infinity') AS till
     FROM competitions c JOIN jobs j ON j.project_id = c.project_id JOIN tasks t ON t.job_id = j.id JOIN allocations a ON a.task_id = t.id
    WHERE (a.released_at IS NULL OR a.released_at > now() - ${keptReadings} - ${delay}) AND NOT ${visible}`

/** The same as the end of the last such time of each GPU: `gpu_id` and `till`. */
export const hiddenUntil = (visible: string) =>
  `SELECT gpu_id, max(till) AS till FROM (${hiddenTimes(visible)}) times GROUP BY 1`

/** SQL condition: the last reading of the GPU `g` is shown. `h` is its row of {@link hiddenUntil}, if it has one. */
export const isReadingShown = `(g.sampled_at > coalesce(h.till, '-infinity'))`
