with open("/data/test/numbers.txt") as numbers, open("/results/predictions.txt", "w") as predictions:
    for number in numbers:
        print(int(number) * 2, file=predictions)
