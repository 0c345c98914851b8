import { expect, type Locator, type Page } from '@playwright/test'

/** Actions on the pages about jobs. */

interface DroppedFile {
  name: string
  text: string
}

/** Drops files onto the drop area, as from a file manager. */
export async function dropFiles(page: Page, files: readonly DroppedFile[]): Promise<void> {
  // The drop area is visible before the page can handle a drop. The editors appear when it can.
  await editorOf(page, 'solution.py').waitFor()
  const dataTransfer = await page.evaluateHandle((dropped) => {
    const transfer = new DataTransfer()
    for (const { name, text } of dropped) transfer.items.add(new File([text], name))
    return transfer
  }, files)
  for (const type of ['dragenter', 'dragover', 'drop'])
    await dropAreaOf(page).dispatchEvent(type, { dataTransfer })
}

/** Drops folders and files of this machine onto the drop area, as from a file manager. */
export async function dropPaths(page: Page, paths: readonly string[]): Promise<void> {
  const box = await dropAreaOf(page).boundingBox()
  if (box === null) throw new Error('the drop area is not visible')
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
  await session.detach()
}

function dropAreaOf(page: Page): Locator {
  return page.getByText('Drop a folder, a .zip or files, or choose files')
}

/** The editor of one file. */
export function editorOf(page: Page, file: string): Locator {
  return page.getByRole('textbox', { name: file, exact: true })
}

/** Replaces the text of an editor, as a user who selects all of it. */
export async function rewrite(page: Page, file: string, text: string): Promise<void> {
  await editorOf(page, file).focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** Submits the content of the editors and returns the job's id. */
export async function submitDraft(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Submit job' }).click()
  return arriveAtJob(page)
}

/** Waits for a job's page and returns the job's id. */
export async function arriveAtJob(page: Page, other?: string): Promise<string> {
  await page.waitForURL(
    ({ pathname }) => /^\/jobs\/[0-9a-f-]{36}$/.test(pathname) && !pathname.endsWith(other ?? '/'),
  )
  return new URL(page.url()).pathname.slice('/jobs/'.length)
}

export function outputOf(page: Page): Locator {
  return page.getByRole('log', { name: 'Output of the job' })
}

/** Waits until the job's page shows this status. */
export async function expectStatus(page: Page, status: string): Promise<void> {
  await expect(page.getByRole('main').getByText(status, { exact: true }).first()).toBeVisible()
}
