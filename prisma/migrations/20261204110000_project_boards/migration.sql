-- CreateEnum
CREATE TYPE "BoardGoal" AS ENUM ('min', 'max');

-- CreateTable
CREATE TABLE "project_boards" (
    "project_id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "goal" "BoardGoal" NOT NULL,
    "competition_id" TEXT,

    CONSTRAINT "project_boards_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "project_board_names" (
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT,
    "hidden" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "project_board_names_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateIndex
CREATE INDEX "project_board_names_user_id_idx" ON "project_board_names"("user_id");

-- AddForeignKey
ALTER TABLE "project_boards" ADD CONSTRAINT "project_boards_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_board_names" ADD CONSTRAINT "project_board_names_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_board_names" ADD CONSTRAINT "project_board_names_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Nobody takes the name of somebody else on the board.
CREATE UNIQUE INDEX project_board_names_name ON project_board_names (project_id, lower(name));
