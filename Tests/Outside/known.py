"""Cases that are known to fail, each with its reason. One that passes is a failure as long as it stands here."""

BY_DATE = """a partial whose only validator is a date goes on with another address that has the same date and size: the row \
doesn't know from which address (chapter, title, redirect) its bytes came"""

KNOWN = {
    "test_a_move_to_another_chapter_in_the_middle_of_a_download_splices_nothing": BY_DATE,
    "test_a_redirect_that_leads_elsewhere_after_a_cut_splices_nothing": BY_DATE,
    "test_another_title_in_the_middle_of_a_download_splices_nothing": BY_DATE,
}
