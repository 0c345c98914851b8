import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answerWith, renderUi } from '../testing/render'
import { ArtifactPreview } from './artifact-preview'

function open(path: string, text: string): void {
  answerWith({ 'GET /api/jobs/job-1/artifacts/file-1/preview': { kind: 'text', text, truncated: false } })
  const artifact = { artifact_id: 'file-1', rank: 0, path, bytes: 1, sha256: '', stored_at: '' }
  renderUi(<ArtifactPreview id="job-1" artifact={artifact} />)
}

const region = (path: string) => screen.findByRole('region', { name: `Beginning of ${path}` })

it('shows Markdown without HTML, pictures of other sites and links to pages of gpuq', async () => {
  const text = [
    '# Report',
    '- **good**',
    '',
    '<script>alert(1)</script> <img src="https://evil.example/a.png">',
    '',
    '![chart](https://evil.example/b.png) [site](https://example.org/) [here](/settings) [x](javascript:alert(1))',
  ].join('\n')
  open('README.md', text)
  await screen.findByRole('heading', { name: 'Report', level: 3 })
  const shown = await region('README.md')
  expect(shown.querySelectorAll('script, img')).toHaveLength(0)
  expect(shown.textContent).toContain('[picture: chart]')
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    'https://example.org/',
  ])
  expect(screen.getByRole('listitem').textContent).toBe('good')
})

it('shows a paragraph or list as text that the page could not lay out in time', async () => {
  open('deep.md', `${'>'.repeat(60_000)} x`)
  await screen.findByText(/not shown as a document/)
  expect((await region('deep.md')).querySelector('blockquote')).toBeNull()
})

it('shows tables of Markdown', async () => {
  open('table.md', '| a | b |\n| - | - |\n| 1 | 2 |\n')
  expect((await screen.findAllByRole('cell')).map((cell) => cell.textContent)).toEqual(['1', '2'])
})
