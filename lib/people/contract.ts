import * as z from 'zod'
import { time } from '../contract/access/access'
import { maxImportCharacters } from './contract-import-file'

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
