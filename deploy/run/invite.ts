/** `npm run invite [-- NAME]`: prints a link with which an admin can reset their password. */
import { inspect } from 'node:util'
import { inviteAdmin } from '@/lib/access/users/invitations'
import { GpuqError } from '@/lib/contract/errors'
import { database } from '@/lib/database/client'
import { publicUrl } from '@/lib/env'

try {
  const { handle, url } = await inviteAdmin(publicUrl(), process.argv[2])
  console.log(`This link sets a new password for ${handle}. It works once, within a week:\n${url}`)
  await database().close()
} catch (error) {
  const said = (error instanceof Error && error.message) || inspect(error)
  const elsewhere =
    'Check that gpuq is running, and that DATABASE_URL and GPUQ_DATA_DIR are set as for its server.'
  console.error(error instanceof GpuqError ? said : `Cannot create the link: ${said}\n${elsewhere}`)
  process.exit(1)
}
