/** `npm run check:layout`: prints the sizes of gpuq and its features, and fails if a feature has a second name or folder. */
import { features } from '@/lib/features'
import { describeLayout, listFiles } from './layout'

const {
  code,
  beside,
  features: described,
  problems,
} = describeLayout(await listFiles(), Object.keys(features))
const number = (value: number) => value.toLocaleString('en').padStart(8)
console.log(
  `Code outside tests: ${code.lines.toLocaleString('en')} lines in ${code.files.toLocaleString('en')} files.`,
)
for (const [kind, lines] of Object.entries(beside))
  console.log(`  beside it, ${kind}: ${lines.toLocaleString('en')} lines`)
console.log('\nFeatures, the largest first: lines, files, folders')
for (const { name, folders, files, lines } of described)
  console.log(`${number(lines)} ${number(files)}  ${name}: ${folders.join(', ')}`)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
