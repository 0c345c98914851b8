-- Nobody takes the name of somebody else on the board.
CREATE UNIQUE INDEX project_board_names_name ON project_board_names (project_id, lower(name));
