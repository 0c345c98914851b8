import { created, defineOperations, ok, post } from '../contract/operations/operation'
import * as imports from './contract'
import * as tokenBatches from './contract-token-batches'

export const importOperations = defineOperations('users', 'access', {
  import: post('/api/user-imports', 'admin', 'Create and change users from a CSV file, or preview it', {
    body: imports.importUsersSchema,
    // JSON may write each character with six.
    maxBodyBytes: 24 * 1024 * 1024,
    responses: ok(imports.userImportSchema),
  }),
})

export const tokenBatchOperations = defineOperations('tokens', 'access', {
  createMany: post(
    '/api/token-batches',
    'submit',
    'Create a token with a config for each of many users; for managers of a class, and admins',
    {
      body: tokenBatches.createTokensSchema,
      responses: created(tokenBatches.createdTokensSchema),
    },
  ),
})
