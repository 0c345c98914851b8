/** A text of a canvas that fits into a width, which the canvas would compress until nobody can read it. */
export function cutText(
  context: Pick<CanvasRenderingContext2D, 'measureText'>,
  text: string,
  width: number,
): string {
  if (context.measureText(text).width <= width) return text
  let end = text.length - 1
  while (end > 0 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1
  return `${text.slice(0, end)}…`
}
