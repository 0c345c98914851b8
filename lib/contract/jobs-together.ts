/** Maximum number of jobs of one page of a list, one download, and one action on several jobs. */
export const maxJobsTogether = 200

/** A search that more jobs match is not counted further: each of them would have to be read. */
export const maxCountedJobs = 1_000
