import { expect, type Locator, type Page } from '@playwright/test'

/** What a test does on the pages about jobs, in their own words. */

interface DroppedFile {
  name: string
  text: string
}

/** Drops files onto the place for them, as from a file manager. */
export async function dropFiles(page: Page, files: readonly DroppedFile[]): Promise<void> {
  // The place is there before the page can take anything; its editors come once it can.
  await editorOf(page, 'solution.py').waitFor()
  const dataTransfer = await page.evaluateHandle((dropped) => {
    const transfer = new DataTransfer()
    for (const { name, text } of dropped) transfer.items.add(new File([text], name))
    return transfer
  }, files)
  const place = page.getByText('Drop solution.py and config.yaml, or choose files')
  for (const type of ['dragenter', 'dragover', 'drop']) await place.dispatchEvent(type, { dataTransfer })
}

/** The editor of one of the two files. */
export function editorOf(page: Page, file: 'solution.py' | 'command' | 'config.yaml'): Locator {
  return page.getByRole('textbox', { name: file })
}

/** Puts a text in the place of what an editor holds, as somebody does who selects all of it. */
export async function rewrite(
  page: Page,
  file: 'solution.py' | 'command' | 'config.yaml',
  text: string,
): Promise<void> {
  await editorOf(page, file).focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** Sends what is in the editors, and returns the id of the job that it becomes. */
export async function submitDraft(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Submit job' }).click()
  return arriveAtJob(page)
}

/** The id of the job whose page is about to open. */
export async function arriveAtJob(page: Page, other?: string): Promise<string> {
  await page.waitForURL(
    ({ pathname }) => /^\/jobs\/[0-9a-f-]{36}$/.test(pathname) && !pathname.endsWith(other ?? '/'),
  )
  return new URL(page.url()).pathname.slice('/jobs/'.length)
}

export function outputOf(page: Page): Locator {
  return page.getByRole('log', { name: 'Output of the job' })
}

/** Waits until the job's page says that it stands there. */
export async function expectStatus(page: Page, status: string): Promise<void> {
  await expect(page.getByRole('main').getByText(status, { exact: true }).first()).toBeVisible()
}
