/* How much a request may have, apart from the schemas: forms name these numbers and need no zod. */

export const maxAnnouncementLength = 500

/** Users of one request for tokens. Enough for a class, and it limits what one mistake creates. */
export const maxBatchUsers = 200
/** Characters of their list: more than 200 long lines have. */
export const maxBatchCharacters = 100_000
