"""Files and text forms that every room to the right shares: files, CSV, JSON, XML, names, tables, pictures, pages."""
