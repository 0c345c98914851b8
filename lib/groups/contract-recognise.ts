/** Whether the text of a `config.yaml` is that of a group: it has one of the two keys at its top. */
export const isGroupConfig = (text: string) => /^["']?(matrix|array)["']?[ \t]*:/m.test(text)
