import { expect, type Locator, type Page } from '@playwright/test'

/** Actions on the cluster page. */

export async function openCluster(page: Page): Promise<void> {
  await page.goto('/cluster')
  await expect(page.getByRole('heading', { level: 1, name: 'Cluster' })).toBeVisible()
}

/** The tiles of a node's GPUs. */
export function gpusOf(page: Page, node: string): Locator {
  return page.getByRole('list', { name: `GPUs of ${node}` }).getByRole('listitem')
}

/** Opens the details of a GPU. */
export async function openGpu(page: Page, node: string, index: number): Promise<Locator> {
  await gpusOf(page, node).nth(index).getByRole('button').click()
  const dialog = page.getByRole('dialog', { name: `GPU ${index} of ${node}` })
  await expect(dialog).toBeVisible()
  return dialog
}

/** The row of a waiting job. */
export function waitingRow(page: Page, name: string): Locator {
  return page.getByRole('table', { name: 'Waiting jobs' }).getByRole('row').filter({ hasText: name })
}

/** Selects an action from the menu of a queued job. */
export async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
