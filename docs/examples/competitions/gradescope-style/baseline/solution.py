with open("/data/test/words.txt") as words, open("/results/answers.txt", "w") as answers:
    answers.write("\n".join(sorted(words.read().split())))
