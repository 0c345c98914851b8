import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { configText } from './uploads'

test('the chevron of an experiment hides what follows it, and the rest of its row opens it', async ({
  page,
  context,
}) => {
  const user = await createUser({ limits: noLimits })
  await signIn(context, user)
  // No node has a GPU of this size, so its members wait.
  const submit = (name: string, more: object) =>
    user.client.groups.submit({
      config: configText({ name, gpu_count: 1, gpu_memory_gb: 1000, command: 'true', array: '0-1', ...more }),
    })
  const { group_id: parent } = await submit('baseline', { hypothesis: 'It converges.' })
  await submit('longer', { parent, hypothesis: 'A longer warm-up lowers the final loss.' })
  await page.goto('/experiments')
  const table = page.getByRole('table', { name: 'Experiments' })
  await expect(table.getByRole('row')).toHaveCount(3)
  await expectUsable(page, 'a tree of experiments')
  await page.getByRole('button', { name: 'Hide what follows baseline' }).click()
  await expect(table.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Show what follows baseline' }).click()
  await expect(table.getByRole('row')).toHaveCount(3)
  await expect(page).toHaveURL(/\/experiments$/)
  // The link of the row lies above its texts.
  await table.getByText('It converges.').click({ force: true })
  await expect(page).toHaveURL(new RegExp(parent))
  await cancelAll(user)
})
