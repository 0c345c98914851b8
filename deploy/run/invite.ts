/** `npm run invite [-- NAME]`: prints a link by which an admin who lost the password chooses a new one. */
import { inspect } from 'node:util'
import { inviteAdmin } from '@/lib/access/users/invitations'
import { GpuqError } from '@/lib/contract/errors'
import { database } from '@/lib/database/client'
import { publicUrl } from '@/lib/env'

try {
  const { handle, url } = await inviteAdmin(publicUrl(), process.argv[2])
  console.log(`Whoever opens this link within a week chooses a new password for ${handle}, once:\n${url}`)
  await database().close()
} catch (error) {
  const said = (error instanceof Error && error.message) || inspect(error)
  const elsewhere = 'Does gpuq run, and are DATABASE_URL and GPUQ_DATA_DIR set as for its server?'
  console.error(error instanceof GpuqError ? said : `No invitation was made: ${said}\n${elsewhere}`)
  process.exit(1)
}
