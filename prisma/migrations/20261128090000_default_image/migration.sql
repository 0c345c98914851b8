-- The default environment's image has more packages under its new tag, and every node makes it at its start.
UPDATE "environments" SET "image" = 'gpuq/python:2' WHERE "image" = 'gpuq/python:1';
