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
  const place = page.getByText('Drop solution.py and config.yaml, or choose files')
  for (const type of ['dragenter', 'dragover', 'drop']) await place.dispatchEvent(type, { dataTransfer })
}

/** The editor of one file. */
export function editorOf(page: Page, file: 'solution.py' | 'command' | 'config.yaml'): Locator {
  return page.getByRole('textbox', { name: file })
}

/** Replaces the text of an editor, as a user who selects all of it. */
export async function rewrite(
  page: Page,
  file: 'solution.py' | 'command' | 'config.yaml',
  text: string,
): Promise<void> {
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
