/** `npm run invite [-- NAME]`: prints a link by which an admin who lost the password chooses a new one. */
import { inspect } from 'node:util'
import { inviteAdmin } from '@/lib/access/invitations'
import { database } from '@/lib/database/client'
import { publicUrl } from '@/lib/env'

try {
  const { handle, url } = await inviteAdmin(publicUrl(), process.argv[2])
  console.log(`Whoever opens this link within a week chooses a new password for ${handle}, once:\n${url}`)
  await database().close()
} catch (error) {
  console.error((error instanceof Error && error.message) || inspect(error))
  process.exit(1)
}
