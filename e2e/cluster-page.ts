import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { expectNoSideScroll } from './browser-test'

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

/** Expects no axe violations in both themes, and no horizontal scrolling on a phone. */
export async function expectUsable(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme))
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze()
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    expect.soft(found, `${name} ${colorScheme}`).toEqual([])
  }
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expectNoSideScroll(page)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}
