import { signOut } from 'next-auth/react'

/**
 * Ends the session in this browser. A full page load clears its data from memory. The address stays the one that the
 * browser uses: without GPUQ_URL, the server knows only the one of its machine.
 */
export async function leaveSite(): Promise<void> {
  await signOut({ redirect: false })
  window.location.assign('/sign-in')
}
