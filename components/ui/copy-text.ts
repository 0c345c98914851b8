/**
 * Puts text on the clipboard. Browsers give `navigator.clipboard` to secure pages only, and a lab's server is
 * often plain http on the local network: there the old command over a hidden box still works.
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
  // Inside an open dialog the focus is kept in: a box outside of it could not be selected.
  const host = focused?.closest('[role="dialog"],[role="alertdialog"]') ?? document.body
  host.append(box)
  box.select()
  const copied = document.execCommand('copy')
  box.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('The browser did not allow copying. Select the text and copy it by hand.')
}
