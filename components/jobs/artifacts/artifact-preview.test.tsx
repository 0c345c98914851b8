import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answerWith, renderUi } from '../../testing/render'
import { ArtifactPreview } from './artifact-preview'

function open(path: string, text: string, truncated = false): void {
  answerWith({ 'GET /api/jobs/job-1/artifacts/file-1/preview': { kind: 'text', text, truncated } })
  const artifact = { artifact_id: 'file-1', rank: 0, path, bytes: 1, sha256: '', stored_at: '' }
  renderUi(<ArtifactPreview jobId="job-1" artifact={artifact} />)
}

const region = (path: string) => screen.findByRole('region', { name: `Beginning of ${path}` })

it('shows a CSV file as a table, and as text', async () => {
  open('loss.csv', 'epoch,note\n1,"a, b"\n2,"<b>x</b>"\n')
  const cells = await screen.findAllByRole('cell')
  expect(cells.map((cell) => cell.textContent)).toEqual(['1', 'a, b', '2', '<b>x</b>'])
  expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(['epoch', 'note'])
  fireEvent.click(screen.getByRole('radio', { name: 'Text' }))
  expect((await region('loss.csv')).textContent).toContain('1,"a, b"')
})

it('limits the rows and columns of a table', async () => {
  const row = Array.from({ length: 60 }, (_, column) => column).join(',')
  open('big.csv', `${row}\n`.repeat(1000), true)
  await screen.findByText('The preview has at most 200 rows and 50 columns.')
  expect(screen.getAllByRole('row')).toHaveLength(201)
  expect(screen.getAllByRole('columnheader')).toHaveLength(50)
})

it('leaves out the incomplete last row of a truncated table', async () => {
  open('cut.csv', 'a,b\n1,2\n3', true)
  expect((await screen.findAllByRole('row')).map((row) => row.textContent)).toEqual(['ab', '12'])
})

it('formats JSON, and shows invalid JSON as text', async () => {
  open('metrics.json', '{"loss":[1,2]}')
  expect((await region('metrics.json')).textContent).toBe('{\n  "loss": [\n    1,\n    2\n  ]\n}')
})

it('shows a part of a JSON file as text', async () => {
  open('part.json', '{"loss":[1,', true)
  expect((await region('part.json')).textContent).toBe('{"loss":[1,')
  expect(screen.queryByRole('radio')).toBeNull()
})

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
