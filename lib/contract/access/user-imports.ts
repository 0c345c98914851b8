import * as z from 'zod'
import { time } from './access'

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

/** `POST /api/user-imports`. */
export const importUsersSchema = z.strictObject({
  csv: z
    .string()
    .max(maxImportCharacters, `has more than ${maxImportCharacters} characters: divide the file`)
    .describe('the text of the file: a header, then one user in each row'),
  invite_by: z
    .enum(['file', 'email'])
    .default('file')
    .describe('email: gpuq sends the invitations; the response has those of users without an address'),
  dry_run: z.boolean().default(true).describe('only says what the import would do'),
  plan: z
    .string()
    .max(100)
    .optional()
    .describe('`plan` of a preview: the import is refused if it would now do something else'),
})

export const importProblemSchema = z.object({
  line: z.int().describe('line of the file, from 1'),
  column: z.string().nullable().describe('name of the column; null: the whole row'),
  message: z.string(),
})

export const importedUserSchema = z.object({
  line: z.int().describe('line of the file, from 1'),
  user_id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  action: z.enum(['create', 'change', 'unchanged']),
  changes: z.array(z.string()).describe('what the import sets, in words'),
})

/** An invitation of a new user. */
export const importedInvitationSchema = z.object({
  user_id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  url: z.string().describe('only this response contains it'),
  expires_at: time,
})

export const userImportSchema = z.object({
  dry_run: z.boolean(),
  plan: z.string().describe('hash of what the import does to the users'),
  users: z.array(importedUserSchema),
  problems: z.array(importProblemSchema).describe('an import with problems is refused'),
  invitations: z
    .array(importedInvitationSchema)
    .describe('of the users that the import created and sends no e-mail to'),
  mailed: z.int().describe('invitations that gpuq sends by e-mail'),
})

export type UserImport = z.infer<typeof userImportSchema>
export type ImportedUser = z.infer<typeof importedUserSchema>
export type ImportProblem = z.infer<typeof importProblemSchema>
export type ImportedInvitation = z.infer<typeof importedInvitationSchema>
