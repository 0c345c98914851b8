/** A sentence of gpuq, such as a reason or an advice, with its parts in backticks as code. */
export function TextWithCode({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name, and none moves
      <code key={at} className="rounded-sm bg-sunken px-1 font-mono text-[0.925em]">
        {part}
      </code>
    ),
  )
}
