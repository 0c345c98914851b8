/** Ids that users choose, for competitions, projects and users. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
