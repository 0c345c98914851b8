import { toast, toastError } from './toaster'

/**
 * Copies text to the clipboard. Browsers offer `navigator.clipboard` only on secure pages. A server in a lab often uses
 * plain HTTP, where the old copy command with a hidden text area still works.
 */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext && navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return
  }
  const focused = document.activeElement
  const box = document.createElement('textarea')
  box.value = text
  box.setAttribute('readonly', '')
  box.style.cssText = 'position:fixed;top:0;opacity:0'
  // A dialog traps the focus, so the text area must be inside it.
  const host = focused?.closest('[role="dialog"],[role="alertdialog"]') ?? document.body
  host.append(box)
  box.select()
  const copied = document.execCommand('copy')
  box.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('The browser does not allow copying. Select the text and copy it manually.')
}

/** Copies a text and reports the result in a toast, such as "Job id copied". */
export function copyWithToast(text: string, what: string): void {
  copyText(text).then(
    () => toast.success(`${what} copied`),
    (error: unknown) => toastError('Copying failed', error),
  )
}
