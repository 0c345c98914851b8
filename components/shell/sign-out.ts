import { signOut } from '../access/sessions/auth-requests'
import { toastError } from '../ui/toaster'

/**
 * Ends the session in this browser. A full page load clears its data from memory. The address stays the one that the
 * browser uses: without GPUQ_URL, the server knows only the one of its machine.
 */
export async function leaveSite(): Promise<void> {
  try {
    await signOut()
    window.location.assign('/sign-in')
  } catch (error) {
    toastError('Signing out failed', error)
  }
}
