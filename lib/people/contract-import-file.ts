/* The file of an import of users, apart from the schemas: the page needs no zod. */

export const maxImportedUsers = 10_000
/** Characters of a file: more than 10,000 long rows have. */
export const maxImportCharacters = 4 * 1024 * 1024

/** The columns of the file, in the order of the template, with other names that people use for them. */
export const importColumns = {
  user_id: { names: ['handle', 'user', 'username', 'login'], example: 'ada' },
  email: { names: ['e-mail', 'mail', 'e-mail address', 'email address'], example: 'ada@example.org' },
  name: { names: ['full name'], example: 'Ada Lovelace' },
  role: { names: [], example: 'researcher' },
  projects: { names: ['project', 'project_id'], example: 'grace/class-2026' },
  max_active_jobs: { names: ['active jobs'], example: '2' },
  max_priority: { names: ['priority'], example: '0' },
} as const
export type ImportColumn = keyof typeof importColumns

/** A file with the names of the columns and one example. */
export const importTemplate = `${Object.keys(importColumns).join(',')}\r\n${Object.values(importColumns)
  .map(({ example }) => example)
  .join(',')}\r\n`
