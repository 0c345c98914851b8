/*
 * Variables of the jobs of competitions. No config may have them (lib/contract/config/reserved-variables.ts), so a job with one of them is
 * such a job.
 */

/** The program of an entry reads it: equal entries get different seeds, and a repeated run gets the same one. */
export const seedVariable = 'GPUQ_SEED'

/** Where a scoring program writes its scores. */
export const scoresVariable = 'GPUQ_SCORES'

/** Where a scoring program reads what the entry has read at `/data`. */
export const inputsPath = '/inputs'

/** Where the program of an entry reads its data. */
export const dataPath = '/data'
